"""tests/real/opencv_umat.py - OpenCV's transparent API: filters on UMat, each on the device

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import cv2
import numpy as np
cv2.ocl.setUseOpenCL(True)
print(cv2.ocl.useOpenCL(), cv2.ocl.Device_getDefault().name())
rng = np.random.default_rng(7)
img = rng.integers(0, 256, (240, 320, 3), dtype=np.uint8)
u = cv2.UMat(img)
g = cv2.cvtColor(u, cv2.COLOR_BGR2GRAY)
b = cv2.GaussianBlur(g, (7, 7), 1.5)
s = cv2.resize(b, (160, 120), interpolation=cv2.INTER_LINEAR)
e = cv2.Canny(s, 40, 90)
_, t = cv2.threshold(b, 120, 255, cv2.THRESH_BINARY)
m = cv2.dilate(t, np.ones((5, 5), np.uint8))
for name, x in (("gray", g), ("blur", b), ("small", s), ("edges", e), ("mask", m)):
    a = x.get()
    print(name, a.shape, int(a.sum()), int(a[10, 10]))
